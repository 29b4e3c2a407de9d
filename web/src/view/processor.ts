/** What draws in this browser. */
const PROGRAMS = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether a graphics processor draws, and not a program in its place, for which everything is some hundred times as much work. */
export function hasProcessor(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext(); /* browsers keep few at a time */
  return !PROGRAMS.test(name);
}
