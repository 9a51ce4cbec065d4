import { expect, test } from 'vitest'
import { createWorkQueue } from './work-queue.ts'

test('the queue runs at most `atOnce` works at a time, and starts the next when a running one ends', async () => {
  const queue = createWorkQueue({ atOnce: 2, waitMsMax: 10_000 })
  const begun: number[] = []
  const ends: (() => void)[] = []
  const works = [0, 1, 2].map((number) =>
    queue(() => {
      begun.push(number)
      return new Promise<number>((resolve) => ends.push(() => resolve(number)))
    }),
  )
  await expect.poll(() => begun).toEqual([0, 1])
  ends[1]?.()
  await expect.poll(() => begun).toEqual([0, 1, 2])
  ends[0]?.()
  ends[2]?.()
  expect(await Promise.all(works)).toEqual([0, 1, 2])
})

test('work that goes first overtakes those that wait, but not the one that runs', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitMsMax: 10_000 })
  const begun: string[] = []
  const run = (name: string, goesFirst: boolean) => queue(async () => void begun.push(name), goesFirst)
  const names = ['running', 'stranger', 'another stranger', 'known browser']
  await Promise.all(names.map((name) => run(name, name === 'known browser')))
  expect(begun).toEqual(['running', 'known browser', 'stranger', 'another stranger'])
})

test('the queue answers 503 with `Retry-After` for work that waited too long, and lets the running work finish', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitMsMax: 5 })
  let end: (result: string) => void = () => undefined
  const running = queue(() => new Promise<string>((resolve) => (end = resolve)))
  await expect(queue(async () => 'never')).rejects.toMatchObject({
    status: 503,
    code: 'UNAVAILABLE',
    retryAfterSeconds: 5,
  })
  end('done')
  expect(await running).toBe('done')
  expect(await queue(async () => 'next')).toBe('next')
})

test('the queue passes on a failure', async () => {
  const queue = createWorkQueue({ atOnce: 1, waitMsMax: 10_000 })
  await expect(queue(async () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
})
