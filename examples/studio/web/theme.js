// Light or dark: what the system wants, until somebody chooses. It runs before the page is drawn.
"use strict";
(() => {
  const KEY = "canvas-studio.theme";
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Without storage the system decides.
  }
})();
