import type { ESTree, Plugin } from 'vite'

/** The parts of a route that `call` reads. */
const OF_AN_ADDRESS = ['method', 'path', 'auth', 'envelope']

/**
 * Removes from the build the parts of the contract that only the server reads. `call` does not parse answers, so it
 * needs only a route's address. Schemas, and objects that hold some, are marked as free of side effects, so the bundler
 * removes those that the app does not use. The contract keeps the schemas of forms in files of their own, such as
 * `account-forms.ts`: in a file of addresses or texts, one such schema would make every page load zod.
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
            if (!init || !hasCall(init)) continue
            const definition = definitionIn(init)
            lean += code.slice(copied, init.start)
            if (definition) {
              const address = definition.properties.filter(
                (one) =>
                  one.type === 'Property' && one.key.type === 'Identifier' && OF_AN_ADDRESS.includes(one.key.name),
              )
              lean += `{ ${address.map(({ start, end }) => code.slice(start, end)).join()} }`
            } else lean += `/* @__PURE__ */ (() => (${code.slice(init.start, init.end)}))()`
            copied = init.end
          }
        }
        return lean + code.slice(copied)
      },
    },
  }
}

/** Whether the value is a call, or an object with one. */
function hasCall(init: ESTree.Expression): boolean {
  if (init.type !== 'ObjectExpression') return init.type === 'CallExpression'
  return init.properties.some((one) => one.type === 'Property' && one.value.type === 'CallExpression')
}

function definitionIn(init: ESTree.Expression): ESTree.ObjectExpression | undefined {
  if (init.type !== 'CallExpression' || init.callee.type !== 'Identifier' || init.callee.name !== 'defineRoute')
    return undefined
  const [definition] = init.arguments
  return definition?.type === 'ObjectExpression' ? definition : undefined
}
