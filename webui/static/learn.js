/* How far a lesson is, told while it goes on; when it is over the page is loaded anew. */
(() => {
  "use strict";
  const box = document.getElementById("learn");
  const all = document.getElementById("lesson");
  if (!box || !all || !["show", "lay", "look"].includes(box.dataset.stage)) return;
  const sentence = document.getElementById("lesson-sentence");
  const count = document.getElementById("lesson-count");
  const bar = count.querySelector("progress");
  const [number, seen] = count.querySelectorAll("span");
  const view = document.querySelector("img[src*='picture.jpg']:not([data-live])");
  const address = view ? view.src.split("?")[0] : "";
  let turn = 0;

  function put(node, text) { if (node.textContent !== text) node.textContent = text; }

  async function look() {
    try {
      const answer = await fetch(box.dataset.lesson, { credentials: "same-origin", headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      if (!told.running) { window.location.reload(); return; }
      all.hidden = false;
      put(sentence, told.sentence);
      put(number, told.count);
      put(seen, told.seen);
      bar.hidden = !told.count;
      bar.max = told.wanted || 1;
      bar.value = Math.min(told.views, told.wanted);
    } catch {
      // the program is busy or gone: asked again
    }
    // The picture shows whether the target is in view.
    if (view && turn % 2 === 0) view.src = `${address}?lesson=${turn}`;
    turn += 1;
    setTimeout(look, 350);
  }
  look();
})();
