/** A curve's name as expressions take it: plain, or in quotes. */
export const quoted = (name: string): string => (/^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) ? name : `"${name}"`);
