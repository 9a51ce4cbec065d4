// Loaded before the portal in its process: makes its machine's clock wrong by CLOCK_AHEAD_MS, and from then on by what
// its parent process says.
let aheadMs = Number(process.env['CLOCK_AHEAD_MS'] ?? 0)

globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [target.now() + aheadMs] : given, made),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + aheadMs : Reflect.get(target, name, receiver),
})

process.on('message', (ms) => {
  aheadMs = Number(ms)
})
// The portal must be able to end by itself.
process.channel?.unref()
