/** A file that a scene refers to: chosen among those that were uploaded, or uploaded here. */
import { listAssets, uploadAsset } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { bytes } from "../format.js";
import type { Json } from "../json.js";
import { assetPicture } from "./asset_preview.js";
import { frame, freshId, type FieldView } from "./field.js";
import type { TextNode } from "./schema.js";

export function assetField(label: string, node: TextNode, required: boolean, value: Json | undefined, set: (value: Json | undefined) => void): FieldView {
  const list = h("datalist", { id: `${freshId()}-assets` });
  const input = h("input", { type: "text", class: "code", autocomplete: "off", spellcheck: "false", placeholder: "sha256:…", list: list.id, value: typeof value === "string" ? value : "" });
  const picker = h("input", { type: "file", hidden: true });
  const button = h("button", { type: "button" }, english.asset.upload);
  const picture = assetPicture();
  const take = (text: string): void => {
    set(text === "" && !required ? undefined : text);
    picture.show(text);
  };
  const view = frame(label, node, required, "", [input, list, picker, button]);
  view.element.append(picture.element);
  picture.show(input.value);
  input.addEventListener("input", () => take(input.value));
  input.addEventListener("focus", () => void fill(list));
  button.addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    const file = picker.files?.[0];
    if (!file) return;
    button.disabled = true;
    button.textContent = english.asset.uploading;
    uploadAsset(file)
      .then(({ asset }) => {
        input.value = asset;
        view.setProblems([]);
        take(asset);
      })
      .catch((error: unknown) => view.setProblems([error instanceof Error ? error.message : String(error)]))
      .finally(() => {
        button.disabled = false;
        button.textContent = english.asset.upload;
        picker.value = "";
      });
  });
  return view;
}

/** What there is on the server, by the names the files had. */
async function fill(list: HTMLElement): Promise<void> {
  try {
    const { assets } = await listAssets();
    list.replaceChildren(...assets.map((asset) => h("option", { value: asset.asset, label: `${asset.name || english.asset.noName}, ${bytes(asset.bytes)}` })));
  } catch {
    list.replaceChildren(); /* it can be typed, or uploaded again */
  }
}
