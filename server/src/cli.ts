// `npm run portal -- …`: the commands for operators (D16). The web app has no operator role.
import { runCommand } from './operator/run-command.ts'

process.exit(
  await runCommand(process.argv.slice(2), {
    env: process.env,
    // Output into a pipe is written before the call returns, so that nothing is lost at the exit.
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  }),
)
