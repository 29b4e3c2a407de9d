/** Says plainly whether the page is connected, and when it tries again. */
import { h, setText } from "../dom.js";
import * as english from "../english/service.js";
import type { Connection, LiveStream } from "./stream.js";

export class ConnectionBadge {
  readonly element: HTMLElement;
  private readonly text = h("span", { role: "status", "aria-live": "polite" });
  private readonly countdown = h("span", { class: "countdown" });
  private readonly retry: HTMLButtonElement;
  private connection: Connection;

  constructor(stream: LiveStream) {
    this.retry = h("button", { type: "button", class: "small", hidden: true, onclick: () => stream.connect() }, english.connection.now);
    this.element = h("div", { class: "connection" }, h("span", { class: "dot", "aria-hidden": "true" }), this.text, this.countdown, this.retry);
    this.connection = stream.current;
    stream.onConnection.add((connection) => {
      this.connection = connection;
      this.show();
    });
    setInterval(() => this.showCountdown(), 1000);
    this.show();
  }

  private show(): void {
    const { state } = this.connection;
    const names = { connecting: english.connection.connecting, open: english.connection.open, waiting: english.connection.waiting, offline: english.connection.offline };
    this.element.dataset["state"] = state;
    setText(this.text, names[state]);
    this.retry.hidden = state !== "waiting";
    this.showCountdown();
  }

  private showCountdown(): void {
    const left = this.connection.state === "waiting" ? Math.max(0, Math.ceil((this.connection.until - Date.now()) / 1000)) : 0;
    setText(this.countdown, this.connection.state === "waiting" ? english.connectionAgain(left) : "");
  }
}
