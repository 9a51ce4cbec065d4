declare module 'subset-font' {
  interface Options {
    targetFormat?: string
    /** Keeps all glyphs of the font and ignores the text. */
    keepAllGlyphs?: boolean
    variationAxes?: Record<string, { min: number; max: number }>
    keepFeatures?: string[]
  }

  export default function subsetFont(font: Buffer, text: string | undefined, options: Options): Promise<Buffer>
}
