// The `_esm` of every widget, built apart. It loads the real bundle once a page from the kernel's one assets model, so
// that a notebook with twenty turns neither transfers nor saves the bundle twenty times. Keep it under 1 KB.

interface Model {
  get(name: string): unknown;
  widget_manager?: { get_model(id: string): Promise<Model> };
}
interface Context {
  model: Model;
  el: HTMLElement;
  signal?: AbortSignal;
  host?: { getModel(reference: string): Promise<Model> };
}
interface Bundle {
  mount(context: Context): () => void;
  begin(model: Model): void;
}

const page = globalThis as { __nbharness?: Map<unknown, Promise<Bundle>> };
page.__nbharness ??= new Map();
const loaded = page.__nbharness;

async function load({ model, host }: Context): Promise<Bundle> {
  const reference = String(model.get("_assets"));
  // Hosts before anywidget 0.11 have no getModel; there the manager knows the model by its bare id.
  const assets = model.get("gz")
    ? model
    : await (host?.getModel(reference) ??
        model.widget_manager?.get_model(reference.replace("anywidget:", "")));
  const packed = new Blob([assets?.get("gz") as BlobPart]).stream();
  const source = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function bundleOf(context: Context): Promise<Bundle> {
  const revision = context.model.get("_rev");
  let bundle = loaded.get(revision);
  if (!bundle) {
    bundle = load(context);
    loaded.set(revision, bundle);
    // The next view tries again: the assets model may be there by then.
    bundle.catch(() => loaded.delete(revision));
  }
  return bundle;
}

function initialize(context: Context): void {
  // Not waited for, since the view would wait for it; a bundle that is not there is the view's to report.
  bundleOf(context).then(
    ({ begin }) => begin(context.model),
    () => {},
  );
}

async function render(context: Context): Promise<(() => void) | undefined> {
  try {
    const { mount } = await bundleOf(context);
    return context.signal?.aborted ? undefined : mount(context);
  } catch (error) {
    context.el.textContent = `nbharness: the view could not be loaded, run the cell again (${error})`;
    return undefined;
  }
}

// biome-ignore lint/style/noDefaultExport: anywidget reads the default export
export default { initialize, render };
