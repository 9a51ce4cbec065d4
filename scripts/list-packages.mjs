import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, run } from './set-up.mjs'

/**
 * Writes beside the built server which packages of the lockfile the portal is made of, with versions and checksums, as
 * CycloneDX. With `--omit=dev`, npm would also leave out those that another part has for its tests, such as React.
 */
export async function listPackages() {
  const parts = ['contract', 'server', 'web', 'crm-sandbox'].map((part) => `--workspace=${part}`)
  const form = ['--sbom-format=cyclonedx', '--sbom-type=application', '--loglevel=silent']
  const list = await run('npm', ['sbom', ...form, '--package-lock-only', ...parts], { output: 'when it fails' })
  writeFileSync(path.join(root, 'server', 'dist', 'sbom.cdx.json'), list)
}
