// What a page is checked for inside the browser. Returns a list of faults, empty for none.
() => {
  const faults = [];
  const seen = (node) => {
    const style = getComputedStyle(node), box = node.getBoundingClientRect();
    return style.visibility !== "hidden" && style.display !== "none" && box.width > 1 && box.height > 1;
  };
  const named = (node) => node.getAttribute("aria-label") || node.textContent.trim()
    || (node.labels && node.labels.length) || node.title;
  const number = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = number(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  if (document.documentElement.lang !== "en") faults.push("no language");
  if (!document.title) faults.push("no title");
  for (const [name, most] of [["h1", 1], ["main", 1], ["header", 1], ["nav", 1]]) {
    if (document.querySelectorAll(name).length !== most) faults.push(`not one ${name}`);
  }
  let level = 0;
  for (const head of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const own = Number(head.tagName[1]);
    if (own > level + 1) faults.push(`heading ${own} behind ${level}`);
    level = own;
  }
  for (const node of document.querySelectorAll("input:not([type=hidden]),select,button,a,summary,svg,meter")) {
    if (!named(node)) faults.push(`no name: ${node.outerHTML.slice(0, 90)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  if (new Set(ids).size !== ids.length) faults.push("an id stands twice");
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.querySelector("th[scope=col]")) faults.push("a table without heads");
    for (const head of table.querySelectorAll("th")) if (!head.textContent) faults.push("an empty head");
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(node) || node.closest("option,svg,.skip,meter")) continue;
    const style = getComputedStyle(node), ink = number(style.color), paper = ground(node);
    const [high, low] = [light(ink), light(paper)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), ratio = (high + 0.05) / (low + 0.05);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < needed) faults.push(`contrast ${ratio.toFixed(2)}: ${node.outerHTML.slice(0, 90)}`);
    if (size < 11) faults.push(`letters of ${size} px: ${node.outerHTML.slice(0, 90)}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`${wide} px wide in ${innerWidth}`);
  for (const node of document.querySelectorAll("main *")) {
    const box = node.getBoundingClientRect();
    if (seen(node) && box.right > innerWidth + 1 && !node.closest(".scroll")) {
      faults.push(`beyond the window: ${node.outerHTML.slice(0, 90)}`);
    }
  }
  for (const node of document.querySelectorAll(".scroll")) {
    if (innerWidth < 500 && node.scrollWidth > node.clientWidth + 1) faults.push("a table is cut off");
  }
  if (document.scripts.length) faults.push("a script");
  return faults;
}
