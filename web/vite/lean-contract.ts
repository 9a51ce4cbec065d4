import type { Plugin } from 'vite'

/** The parts of a route that `call` reads. */
const OF_AN_ADDRESS = ['method', 'path', 'auth', 'envelope']

/**
 * Removes from the build the parts of the contract that only the server reads. `call` does not parse answers, so it
 * needs only a route's address. Schemas are marked as free of side effects, so the bundler removes schemas that the app
 * does not use.
 */
export function leanContract(): Plugin {
  return {
    name: 'lean-contract',
    apply: 'build',
    transform: {
      filter: { id: /\/contract\/src\/[^/]+\.ts$/ },
      handler(code) {
        let lean = ''
        let copied = 0
        for (const statement of this.parse(code).body) {
          const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
          if (declaration?.type !== 'VariableDeclaration') continue
          for (const { init } of declaration.declarations) {
            if (init?.type !== 'CallExpression') continue
            const [definition] = init.arguments
            const isRoute = init.callee.type === 'Identifier' && init.callee.name === 'defineRoute'
            lean += code.slice(copied, init.start)
            if (isRoute && definition?.type === 'ObjectExpression') {
              const address = definition.properties.filter(
                (one) =>
                  one.type === 'Property' && one.key.type === 'Identifier' && OF_AN_ADDRESS.includes(one.key.name),
              )
              lean += `{ ${address.map(({ start, end }) => code.slice(start, end)).join()} }`
            } else lean += `/* @__PURE__ */ (() => ${code.slice(init.start, init.end)})()`
            copied = init.end
          }
        }
        return lean + code.slice(copied)
      },
    },
  }
}
