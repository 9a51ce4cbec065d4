// `npm run build`: the web app, ready to be served. `npm start` does it by itself when something changed.
import { buildWeb, prepare } from './set-up.mjs'

try {
  await prepare('run')
  await buildWeb()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
