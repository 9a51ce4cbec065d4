// `npm run portal -- …`: the commands for operators (D16). The web app has no operator role.
import { runCommand } from './operator/run-command.ts'

// A reader such as `head` may exit before it has read everything.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const code = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  input: process.stdin,
  output: process.stdout,
})
// A pipe takes 64 KiB at once. The process must not end before the reader has taken the rest.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((taken) => stream.write('', taken))))
process.exit(code)
