"""Makes PDFs for tests: pages of text, in the least form that a reader takes."""

from __future__ import annotations


def pdf(*pages: str) -> bytes:
    """Return a PDF whose pages have these lines of ASCII text."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, text in enumerate(pages):
        number = 4 + 2 * place
        bodies.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {number + 1} 0 R >>"
        )
        drawn = _drawn(text)
        bodies.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return _whole(bodies)


def _drawn(text: str) -> str:
    lines = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
             for line in text.split("\n"))  # fmt: skip
    return "BT /F1 12 Tf 50 780 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"


def _whole(bodies: list[str]) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(bodies) + 1
    return out + (
        f"xref\n0 {size}\n0000000000 65535 f \n{rows}"
        f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    ).encode()
