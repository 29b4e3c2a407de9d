/** Names of the gallery's scenes that have a picture, put in when the page is built (build.mjs). */
declare const GALLERY_PICTURES: string[] | undefined;

export const PICTURED: ReadonlySet<string> = new Set(typeof GALLERY_PICTURES === "undefined" ? [] : GALLERY_PICTURES);
