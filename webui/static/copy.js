"use strict";
/* A copy is learned: photos are sent one after the other, and how far reading is, is told while it goes on. */
(() => {
  const box = document.getElementById("copy");
  if (!box) return;
  const form = document.getElementById("copy-send");
  const line = document.getElementById("copy-sending");
  const token = document.querySelector("meta[name=token]").content;

  async function send(body) {
    const answer = await fetch(form.action, {
      method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json", "X-Referee-Token": token },
    });
    const told = await answer.json().catch(() => ({}));
    return told.refused || (answer.ok ? [] : [told.message || String(answer.status)]);
  }

  form.addEventListener("submit", async (event) => {
    const files = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files].map((file) => [input.name, file]));
    if (!files.length) return;
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    line.hidden = false;
    const refused = [];
    for (const [n, [name, file]] of files.entries()) {
      line.textContent = line.dataset.words.replace("{n}", n + 1).replace("{all}", files.length);
      const body = new FormData();
      body.append(name, file, file.name);
      try {
        refused.push(...await send(body));
      } catch (error) {
        refused.push(`${file.name}: ${error.message}`);
      }
    }
    const last = new FormData();
    last.append("read", "yes");
    try { await send(last); } catch { /* the page tells that the program is gone */ }
    if (refused.length) {
      line.textContent = refused.join(" ");
      line.className = "notice bad";
      button.disabled = false;
      form.reset();
      box.dataset.stage = "reading";
      box.dataset.stay = "yes";
      look();
    } else {
      window.location.reload();
    }
  });

  async function look() {
    try {
      const answer = await fetch(box.dataset.state, { credentials: "same-origin", headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      document.getElementById("copy-sentence").textContent = told.sentence;
      const bar = document.getElementById("copy-bar");
      bar.hidden = !told.running;
      bar.max = told.steps || 1;
      bar.value = told.step;
      if (!told.running) {
        if (!box.dataset.stay) window.location.reload();
        return;
      }
    } catch {
      // the program is busy or gone: asked again
    }
    setTimeout(look, 500);
  }
  if (box.dataset.stage === "reading") look();
})();
