import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'

export async function staffPage(app: FastifyInstance, _sandbox: Sandbox) {
  app.get('/', (_request, reply) => reply.type('text/html').send('<!doctype html><title>CRM</title>'))
}
