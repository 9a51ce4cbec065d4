import { AsyncLocalStorage } from 'node:async_hooks'

/** The partner for which the current work calls the CRM (D122). Absent for work for all partners. */
export const servedPartner = new AsyncLocalStorage<string>()
