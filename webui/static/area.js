"use strict";
/* Drawing the playing area over the picture: corners are dragged, tapped in one after the other, or moved with the arrow keys. */
(() => {
  const screen = document.getElementById("areascreen");
  if (!screen) return;
  const svg = document.getElementById("areadraw");
  const field = document.getElementById("area");
  const NS = "http://www.w3.org/2000/svg";
  const width = Number(screen.dataset.width);
  const height = Number(screen.dataset.height);
  const read = (text) => text.trim().split(/\s+/).filter(Boolean).map((pair) => pair.split(",").map(Number));
  const whole = () => [[0.04, 0.06], [0.96, 0.06], [0.96, 0.94], [0.04, 0.94]].map(([x, y]) => [x * width, y * height]);
  let points = read(field.value);
  if (points.length < 3) points = whole();
  let held = -1;

  function clamp(x, y) { return [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))]; }

  function at(event) {
    const matrix = svg.getScreenCTM().inverse();
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return clamp(p.x, p.y);
  }

  function element(name, attributes) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function draw() {
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.index : undefined;
    const text = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    field.value = text;
    const parts = [element("polygon", { points: text, class: "halo" }), element("polygon", { points: text, class: "border" })];
    // A border that was found has many corners along each side: they are shown small, and any tap moves the nearest.
    const many = points.length > 12;
    points.forEach(([x, y], n) => {
      const handle = element("g", { class: "handle", tabindex: "0", role: "button", transform: `translate(${x} ${y})`, "aria-label": `${screen.dataset.corner} ${n + 1}` });
      handle.dataset.index = String(n);
      const r = width / (many ? 160 : 55);
      const label = element("text", { "font-size": String(r) });
      label.textContent = many ? "" : String(n + 1);
      handle.append(element("circle", { class: "grip", r: String(r * 2) }), element("circle", { r: String(r) }), label);
      parts.push(handle);
    });
    svg.replaceChildren(...parts);
    if (focused !== undefined) {
      const again = svg.querySelector(`[data-index="${focused}"]`);
      if (again) again.focus();
    }
  }

  svg.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    const [x, y] = at(event);
    if (handle) {
      held = Number(handle.dataset.index);
    } else {
      // A tap elsewhere brings the nearest corner there.
      held = points.reduce((best, p, n) => (Math.hypot(p[0] - x, p[1] - y) < Math.hypot(points[best][0] - x, points[best][1] - y) ? n : best), 0);
      points[held] = [x, y];
    }
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    draw();
  });
  svg.addEventListener("pointermove", (event) => {
    if (held < 0) return;
    points[held] = at(event);
    draw();
  });
  for (const over of ["pointerup", "pointercancel"]) svg.addEventListener(over, () => { held = -1; });
  svg.addEventListener("keydown", (event) => {
    const handle = event.target.closest(".handle");
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!handle || !move) return;
    const step = (event.shiftKey ? 0.002 : 0.01) * width;
    const n = Number(handle.dataset.index);
    points[n] = clamp(points[n][0] + move[0] * step, points[n][1] + move[1] * step);
    event.preventDefault();
    draw();
  });

  function button(id, act) {
    const found = document.getElementById(id);
    if (found) found.addEventListener("click", () => { act(); draw(); });
  }
  button("whole", () => { points = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]; });
  button("proposed", () => { const found = read(screen.dataset.proposed); if (found.length >= 3) points = found; });
  button("more-corners", () => {
    // In the middle of the longest side.
    let best = 0;
    let length = -1;
    points.forEach((p, n) => {
      const q = points[(n + 1) % points.length];
      const side = Math.hypot(p[0] - q[0], p[1] - q[1]);
      if (side > length) { length = side; best = n; }
    });
    const q = points[(best + 1) % points.length];
    if (points.length < 96) points.splice(best + 1, 0, [(points[best][0] + q[0]) / 2, (points[best][1] + q[1]) / 2]);
  });
  button("fewer-corners", () => { if (points.length > 3) points.pop(); });
  draw();
})();
