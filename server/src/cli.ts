// npm run portal -- …: what operators do (D16). There is no such role in the web app.
import { runCommand } from './operator/run-command.ts'

process.exit(
  await runCommand(process.argv.slice(2), {
    env: process.env,
    // What goes into a pipe is written when the call returns, so that nothing is lost at the exit.
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  }),
)
