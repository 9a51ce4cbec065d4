declare module 'subset-font' {
  interface Options {
    targetFormat?: string
    /** All that the font has; then there is no text. */
    keepAllGlyphs?: boolean
    variationAxes?: Record<string, { min: number; max: number }>
    keepFeatures?: string[]
  }

  export default function subsetFont(font: Buffer, text: string | undefined, options: Options): Promise<Buffer>
}
