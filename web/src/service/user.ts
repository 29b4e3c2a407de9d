/** Who submits runs from this browser, as they said: for people to find them by. Nothing proves it. */

const PLACE = "scree-user";
export const LONGEST = 64; /* characters */

/** "": nobody said. */
export function userName(): string {
  try {
    return localStorage.getItem(PLACE) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a name in this browser; "" forgets it. */
export function keepUserName(name: string): void {
  try {
    if (name.trim() === "") localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, name.trim());
  } catch {
    /* it is asked for again */
  }
}

/** A path that says who submits. */
export function asUser(path: string): string {
  const name = userName();
  return name === "" ? path : `${path}?user=${encodeURIComponent(name)}`;
}
