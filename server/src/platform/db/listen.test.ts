import { expect, test } from 'vitest'
import { openDatabaseProxy } from '../../testing/database-proxy.ts'
import { createDatabase } from '../../testing/databases.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { openDatabase } from './database.ts'
import { listen } from './listen.ts'

test('a listener replaces a connection that fell silent and receives notifications again', async () => {
  const own = await createDatabase()
  await using proxy = await openDatabaseProxy(own.url)
  const { pool, close } = openDatabase(own.url, () => undefined)
  const heard: string[] = []
  let connections = 0
  const listening = listen(
    proxy.url,
    [{ channels: { news: (payload) => heard.push(payload) }, onConnect: () => connections++ }],
    { onError: () => undefined, silenceMsMax: 300 },
  )
  await waitFor('the first connection', async () => connections === 1)
  proxy.fallSilent()
  proxy.passNew()
  await waitFor('another connection', async () => connections === 2)
  await pool.query("notify news, 'hello'")
  await waitFor('the notification', async () => heard.length > 0)
  expect(heard).toEqual(['hello'])
  await listening.close()
  await close()
})
