/** Keys of the job page. Left alone while something is being typed or a control has the key for itself. */
export type Shortcuts = Record<string, () => void>;

const TAKES_KEYS = "input:not([type=checkbox]):not([type=range]), select, textarea, [contenteditable]";

export function listenForShortcuts(shortcuts: Shortcuts): () => void {
  const listener = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest(TAKES_KEYS)) return;
    if (event.key === " " && target?.closest("button, a, summary, input")) return;
    if (event.key.startsWith("Arrow") && target?.closest("input[type=range]")) return;
    const action = shortcuts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", listener);
  return () => document.removeEventListener("keydown", listener);
}
