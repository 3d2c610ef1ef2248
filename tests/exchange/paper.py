"""Makes PDFs and DOCX files for tests, in the least form that a reader takes."""

from __future__ import annotations

import io
import zipfile
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def packed(parts: dict[str, str]) -> bytes:
    """Return a ZIP file of these parts."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return whole.getvalue()


def docx(blocks: Iterable[tuple[str, Any]], styles: str = "") -> bytes:
    """Return a DOCX of blocks: `h1`, `h2`, `p`, `li`, `toc` with its text, `table` with its rows,
    `xml` as it stands."""
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main"
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'

    def paragraph(text: str, kind: str = "p") -> str:
        style = f'<w:pStyle w:val="Heading{kind[1]}"/>' if kind[0] == "h" else ""
        style = '<w:pStyle w:val="V1"/>' if kind == "toc" else style
        shown = f"<w:pPr>{style}{item if kind == 'li' else ''}</w:pPr>"
        return f"<w:p>{shown}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"

    def table(rows: list[list[str]]) -> str:
        cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
        return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"

    body = "".join(told if kind == "xml" else table(told) if kind == "table"
                   else paragraph(told, kind) for kind, told in blocks)  # fmt: skip
    return packed({
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/word/document.xml" ContentType="{types}+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type='
        '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{main}"><w:style w:type="paragraph" w:styleId="V1">'
        f'<w:name w:val="toc 1"/></w:style>{styles}</w:styles>',
        "word/numbering.xml": f'<w:numbering xmlns:w="{main}"><w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1">'
        '<w:abstractNumId w:val="0"/></w:num></w:numbering>',
    })  # fmt: skip
