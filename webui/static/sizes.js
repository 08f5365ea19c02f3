"use strict";
/* A size that can hardly be is told before it is sent, so that nothing else of its form is lost. What is left out needs no answer. */
(() => {
  for (const field of document.querySelectorAll("input[data-least]")) {
    const check = () => {
      const said = field.value.trim();
      const mm = Number(said.replace(",", "."));
      const likely = !said || (mm >= Number(field.dataset.least) && mm <= Number(field.dataset.most));
      field.setCustomValidity(likely ? "" : field.dataset.hardly.replace("{said}", said));
    };
    field.addEventListener("input", check);
    check();
  }
  const outs = [...document.querySelectorAll('input[type="checkbox"][name$="-out"]')];
  for (const field of document.querySelectorAll("input[required]")) {
    const ours = outs.filter((out) => out.form === field.form && field.name.startsWith(out.name.slice(0, -3)));
    const leave = () => { field.disabled = ours.some((out) => out.checked); };
    for (const out of ours) out.addEventListener("change", leave);
    leave();
    field.addEventListener("invalid", () => { // nobody finds what is folded away
      for (let at = field.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    });
  }
})();
