/** What is asked of the list of jobs: words, states, method, tag, user, order. Kept in the address, so that a search can be sent to somebody. */
import { listStudies } from "../study/requests.js";
import { listMethods, type JobQuery } from "../service/api.js";
import { LONGEST } from "../service/user.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";

const STATES: [string, string][] = [["", english.filter.all], ["running,queued,paused", english.filter.notEnded], ["succeeded", english.filter.succeeded], ["failed", english.filter.failed], ["cancelled", english.filter.cancelled]];
const ORDERS: [string, string][] = [["-created", english.filter.newestFirst], ["created", english.filter.oldestFirst], ["name", english.filter.byName], ["-ended", english.filter.endedLastFirst], ["-priority", english.filter.byPriority]];
const WAIT_MS = 250;

/** The question in an address: "#/jobs?q=drop&state=failed". */
export function queryIn(hash: string): JobQuery {
  const asked = new URLSearchParams(hash.split("?")[1] ?? "");
  const text = (key: string): string => asked.get(key) ?? "";
  return { q: text("q"), state: text("state"), method: text("method"), tag: text("tag"), study: /^[1-9][0-9]{0,14}$/.test(text("study")) ? text("study") : "", user: text("user").slice(0, LONGEST), sort: text("sort") || "-created" };
}

/** Whether a question leaves anything out or another order is wanted. */
export function isAsked({ q, state, method, tag, study, user, sort }: JobQuery): boolean {
  return study !== "" || user !== "" || q !== "" || state !== "" || method !== "" || tag !== "" || sort !== "-created";
}

export function addressOf(query: JobQuery): string {
  const told = Object.entries(query).filter(([key, value]) => value !== "" && !(key === "sort" && value === "-created"));
  return told.length === 0 ? "#/" : `#/jobs?${new URLSearchParams(told).toString()}`;
}

export class JobsFilter {
  readonly element: HTMLElement;
  private readonly words = h("input", { type: "text", role: "searchbox", placeholder: english.filter.words, "aria-label": english.filter.search, autocomplete: "off" });
  private readonly state = choice(english.filter.state, STATES);
  private readonly method = choice(english.filter.method, [["", english.filter.all]]);
  private readonly study = choice(english.filter.study, [["", english.filter.all]]);
  private readonly sort = choice(english.filter.order, ORDERS);
  private readonly tag = h("input", { type: "text", placeholder: english.filter.tagExample, "aria-label": english.filter.tag, size: 12, autocomplete: "off" });
  private readonly user = h("input", { type: "text", placeholder: english.filter.userExample, "aria-label": english.filter.user, size: 10, maxlength: LONGEST, autocomplete: "off" });
  private timer: ReturnType<typeof setTimeout> | null = null;

  /** @param changed is called with the question after every change of it */
  constructor(query: JobQuery, private readonly changed: (query: JobQuery) => void) {
    const now = (): void => this.tell();
    for (const select of [this.state, this.method, this.study, this.sort]) select.addEventListener("change", now);
    for (const input of [this.words, this.tag, this.user])
      input.addEventListener("input", () => {
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = setTimeout(now, WAIT_MS);
      });
    this.element = h("form", { class: "jobs-filter", role: "search" }, this.words, h("label", {}, english.filter.state, " ", this.state), h("label", {}, english.filter.method, " ", this.method), h("label", {}, english.filter.study, " ", this.study), h("label", {}, english.filter.tag, " ", this.tag), h("label", {}, english.filter.user, " ", this.user), h("label", {}, english.filter.order, " ", this.sort));
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.put(query);
    listMethods()
      .then((methods) => {
        this.method.append(...methods.map(({ name }) => h("option", { value: name }, name)));
        this.method.value = query.method;
      })
      .catch(() => undefined); /* the list goes without */
    listStudies()
      .then(({ studies }) => {
        const known = studies.map(({ id, title, name }) => h("option", { value: id }, `#${id} ${title || name}`));
        const old = query.study !== "" && !studies.some(({ id }) => String(id) === query.study) ? [h("option", { value: query.study }, `#${query.study}`)] : [];
        this.study.append(...known, ...old);
        this.study.value = query.study;
      })
      .catch(() => undefined);
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  put({ q, state, method, tag, study, user, sort }: JobQuery): void {
    [this.words.value, this.state.value, this.method.value, this.tag.value, this.study.value, this.user.value, this.sort.value] = [q, state, method, tag, study, user, sort];
  }

  /** Asks for one tag. */
  askTag(key: string, value: string): void {
    this.tag.value = `${key}:${value}`;
    this.tell();
  }

  get query(): JobQuery {
    const tag = this.tag.value.trim();
    return { q: this.words.value.trim().slice(0, 60), state: this.state.value, method: this.method.value, tag: /^[^:]+:/.test(tag) ? tag : tag === "" ? "" : `${tag}:`, study: this.study.value, user: this.user.value.trim(), sort: this.sort.value };
  }

  private tell(): void {
    const { query } = this;
    history.replaceState(null, "", addressOf(query));
    this.changed(query);
  }
}

function choice(label: string, options: [string, string][]): HTMLSelectElement {
  return h("select", { "aria-label": label }, ...options.map(([value, name]) => h("option", { value }, name)));
}
