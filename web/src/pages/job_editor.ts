/** Name, tags and notes of a job, changed in place. */
import { changeJob, type Job } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { errorText } from "./messages.js";

/** "mesh: fine, series: A" as tags; what has no colon is a tag without a value. */
export function tagsOf(text: string): Record<string, string> {
  const pairs = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  return Object.fromEntries(pairs.map((pair): [string, string] => {
    const at = pair.indexOf(":");
    return at < 0 ? [pair, ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  }));
}

export const tagText = (tags: Record<string, string>): string => Object.entries(tags).map(([key, value]) => (value === "" ? key : `${key}: ${value}`)).join(", ");

/** A form for a job. `done` is called with the job as it is then, or with null when nothing is to be changed. */
export function jobEditor(job: Job, done: (job: Job | null) => void): HTMLElement {
  const name = h("input", { type: "text", value: job.name, maxlength: 63, autocomplete: "off" });
  const tags = h("input", { type: "text", value: tagText(job.tags ?? {}), placeholder: english.editor.tagsExample, autocomplete: "off" });
  const notes = h("textarea", { rows: 3 }, job.notes ?? "");
  const trouble = h("p", { class: "problem", role: "alert", hidden: true });
  const save = h("button", { type: "submit", class: "primary small" }, english.editor.save);
  const form = h("form", { class: "job-editor", "aria-label": english.editorTitle(job.id) }, h("label", {}, english.editor.name, " ", name), h("label", {}, english.editor.tags, " ", tags), h("label", { class: "wide" }, english.editor.notes, " ", notes), h("div", {}, save, " ", h("button", { type: "button", class: "small", onclick: () => done(null) }, english.editor.cancel)), trouble);
  form.addEventListener("keydown", (event) => event.key === "Escape" && done(null));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save.disabled = true;
    changeJob(job.id, { name: name.value.trim(), tags: tagsOf(tags.value), notes: notes.value })
      .then(done)
      .catch((error: unknown) => {
        save.disabled = false;
        trouble.hidden = false;
        setText(trouble, errorText(error));
      });
  });
  return form;
}
