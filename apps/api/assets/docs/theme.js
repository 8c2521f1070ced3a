// Before anything is drawn: the theme the reader chose here before, else the system's.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('docs-theme');
  } catch {
    // Storage may be forbidden; the system's theme does.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = chosen === 'dark' || chosen === 'light' ? chosen : system;
})();
