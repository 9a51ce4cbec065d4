import { expect, test } from 'vitest'
import { openDataFolder } from '../../testing/portal-process.ts'
import { readSettings } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { openLog } from '../log.ts'
import { startDatabaseServer } from './local-servers.ts'

test('the embedded database allows all connections that a larger DATABASE_POOL opens', async () => {
  await using folder = await openDataFolder()
  const config = readSettings({ DATA_DIR: folder.path, DATABASE_POOL: '64' })
  const server = await startDatabaseServer(config, openLog('silent'))
  const { pool, close } = openDatabase(server.url, () => undefined)
  try {
    const { rows } = await pool.query("select current_setting('max_connections')::integer as max")
    expect(rows[0]?.max).toBeGreaterThanOrEqual(1.5 * 64 + 5)
  } finally {
    await close()
    await server.stop()
  }
})
