import { readAsset } from './figure-assets.js';

let ready: Promise<void> | undefined;

/** An SVG as PNG on white. The one door to resvg, which sees no font of the machine. */
export async function svgToPng(svg: string, scale: number): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  ready ??= initWasm(readAsset('resvg.wasm') as unknown as Parameters<typeof initWasm>[0]);
  await ready;
  const picture = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    background: 'white',
    font: {
      fontBuffers: [readAsset('DejaVuSans.ttf'), readAsset('DejaVuSans-Bold.ttf')],
      loadSystemFonts: false,
      defaultFontFamily: 'DejaVu Sans',
      sansSerifFamily: 'DejaVu Sans',
    } as never,
  });
  const image = picture.render();
  try {
    return image.asPng();
  } finally {
    image.free();
    picture.free();
  }
}
