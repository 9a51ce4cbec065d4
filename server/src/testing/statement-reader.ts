/**
 * Reads the texts of the statements that one client sends from its bytes (PostgreSQL's protocol, version 3). A message is
 * a letter, a length and a body. Only the client's first message has no letter.
 */
export function statementReader(onStatement: (text: string) => void): (bytes: Buffer) => void {
  const texts = new Map<string, string>()
  let bound = ''
  let kept = Buffer.alloc(0)
  let letters = 0

  function read(type: string, words: string[]): void {
    const [first = '', second = ''] = words
    if (type === 'P') texts.set(first, second)
    if (type === 'B') bound = second
    if (type === 'E') onStatement(texts.get(bound) ?? bound)
    if (type === 'Q') onStatement(first)
  }

  return (bytes) => {
    kept = Buffer.concat([kept, bytes])
    while (kept.length >= letters + 4) {
      const end = letters + kept.readUInt32BE(letters)
      if (kept.length < end) return
      read(kept.toString('latin1', 0, letters), kept.toString('utf8', letters + 4, end).split('\0'))
      kept = kept.subarray(end)
      letters = 1
    }
  }
}
