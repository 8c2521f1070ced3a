/** Whether a key is for a field, a dialog or the browser, and not a shortcut of the page. */
export const isTyping = ({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  document.querySelector('dialog[open]') !== null ||
  (target as HTMLElement).matches('input:not([type=checkbox], [type=radio]), select, textarea');
