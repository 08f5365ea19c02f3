"use strict";
/* The trial of the lesson: a piece is dragged onto a cactus, and what it touches is told at once. */
(() => {
  const svg = document.getElementById("trial");
  if (!svg) return;
  const piece = document.getElementById("trial-piece");
  const mark = document.getElementById("trial-mark");
  const said = document.getElementById("trial-said");
  const STEP_MM = 2, TURN_DEG = 15, NEAR_MM = 0.4, SHOWN_MM = 25, TIP_MM = 4;

  function points(id) {
    return document.getElementById(id).getAttribute("points").trim().split(/\s+/).map((p) => p.split(",").map(Number));
  }
  const own = points("trial-outline"), hung = points("trial-hung"), body = points("trial-body");
  const [baseWidth, baseHeight] = svg.dataset.base.split(" ").map(Number);
  const base = [[-baseWidth / 2, 0], [baseWidth / 2, 0], [baseWidth / 2, baseHeight], [-baseWidth / 2, baseHeight]];
  const box = svg.viewBox.baseVal;
  let x = Number(piece.dataset.x), y = Number(piece.dataset.y), turn = 0;

  function placed() {
    const c = Math.cos(turn * Math.PI / 180), s = Math.sin(turn * Math.PI / 180);
    return own.map(([px, py]) => [x + px * c - py * s, y + px * s + py * c]);
  }

  function inside([px, py], ring) {
    let is = false;
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [ax, ay] = ring[i], [bx, by] = ring[j];
      if ((ay > py) !== (by > py) && px < (bx - ax) * (py - ay) / (by - ay) + ax) is = !is;
    }
    return is;
  }

  function near([px, py], [ax, ay], [bx, by]) {
    const dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
    const t = length ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
    return [Math.hypot(px - ax - t * dx, py - ay - t * dy), [(px + ax + t * dx) / 2, (py + ay + t * dy) / 2]];
  }

  /* The least distance of two outlines (0 where one is in the other) and where it is. */
  function gap(a, b) {
    let best = [Infinity, [0, 0]];
    for (const [one, other] of [[a, b], [b, a]]) {
      for (const p of one) {
        if (inside(p, other)) return [0, p];
        for (let i = 0, j = other.length - 1; i < other.length; j = i++) {
          const found = near(p, other[j], other[i]);
          if (found[0] < best[0]) best = found;
        }
      }
    }
    return best;
  }

  /* Points along the upper edges of arms and head: where something can lie. Beside a trunk or in front of it nothing can. */
  const shelves = body.flatMap(([ax, ay], i) => {
    const [bx, by] = body[(i + 1) % body.length], length = Math.hypot(bx - ax, by - ay);
    if (Math.abs(by - ay) > Math.abs(bx - ax)) return [];
    const n = Math.max(1, Math.ceil(length));
    return Array.from({ length: n + 1 }, (_, k) => [ax + (bx - ax) * k / n, ay + (by - ay) * k / n]);
  }).filter(([px, py]) => inside([px, py + 0.5], body) && !inside([px, py - 0.5], body));

  /* Whether an arm or the head bears the piece: something below it or in it, and not on one side of its middle only. */
  function carried(now) {
    const under = shelves.filter((p) => inside(p, now) || gap([p], now)[0] < NEAR_MM).map((p) => p[0]);
    if (!under.length) return "air";
    const xs = now.map((p) => p[0]), middle = (Math.min(...xs) + Math.max(...xs)) / 2;
    return middle > Math.min(...under) - TIP_MM && middle < Math.max(...under) + TIP_MM ? "free" : "tip";
  }

  function show() {
    piece.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn})`);
    const now = placed();
    const [apart, at] = gap(now, hung);
    const low = now.some((p) => p[1] > 0 && Math.abs(p[0]) < baseWidth / 2) || gap(now, base)[0] < NEAR_MM;
    const call = apart < NEAR_MM ? "touch" : low ? "baseSaid" : carried(now);
    mark.toggleAttribute("hidden", apart > SHOWN_MM);
    mark.setAttribute("class", `touch ${apart < NEAR_MM ? "touching" : "clear"}`);
    for (const ring of mark.querySelectorAll("circle")) { ring.setAttribute("cx", at[0]); ring.setAttribute("cy", at[1]); }
    const measure = svg.dataset.gap.replace("%(n)s", apart.toFixed(1).replace(".", svg.dataset.point));
    said.textContent = svg.dataset[call] + (apart >= NEAR_MM && apart < 100 ? ` (${measure})` : "");
    said.className = `said ${{ free: "good", touch: "bad", baseSaid: "bad", tip: "bad" }[call] || ""}`;
    const next = document.getElementById("next");
    next.classList.toggle("main", call === "free");
    if (call === "free") next.firstChild.textContent = `${svg.dataset.next} `;
  }

  function move(dx, dy) {
    x = Math.max(box.x + 6, Math.min(box.x + box.width - 6, x + dx));
    y = Math.max(box.y + 6, Math.min(box.y + box.height - 6, y + dy));
    show();
  }

  function there(event) {
    const p = svg.createSVGPoint();
    p.x = event.clientX;
    p.y = event.clientY;
    return p.matrixTransform(svg.getScreenCTM().inverse());
  }
  let held = null;
  piece.addEventListener("pointerdown", (event) => {
    const p = there(event);
    held = { dx: x - p.x, dy: y - p.y };
    piece.setPointerCapture(event.pointerId);
    event.preventDefault();
    svg.focus({ preventScroll: true });
  });
  piece.addEventListener("pointermove", (event) => {
    if (!held) return;
    const p = there(event);
    move(p.x + held.dx - x, p.y + held.dy - y);
  });
  for (const end of ["pointerup", "pointercancel"]) piece.addEventListener(end, () => { held = null; });
  svg.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-STEP_MM, 0], ArrowRight: [STEP_MM, 0], ArrowUp: [0, -STEP_MM], ArrowDown: [0, STEP_MM] }[event.key];
    if (way) { move(...way); event.preventDefault(); }
    if (event.key.toLowerCase() === "r" && !event.ctrlKey && !event.metaKey) { turn = (turn + TURN_DEG) % 360; show(); }
  });
  document.getElementById("trial-turn").addEventListener("click", () => { turn = (turn + TURN_DEG) % 360; show(); });
})();
