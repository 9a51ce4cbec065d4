import type { Mail } from '../../mail/mail.ts'
import type { Partner } from './accounts.queries.ts'

export function welcomeMail(partner: Partner, publicUrl: string, token: string): Mail {
  return {
    to: partner.email,
    subject: 'Welcome to the Partner Portal',
    text: `Hello ${greetingName(partner)},

your partner account for ${partner.business_name} is ready: ${publicUrl}/login

Please confirm your email address: ${publicUrl}/verify-email?token=${token}

If you did not create this account, you can ignore this mail.
`,
  }
}

export function resetMail(partner: Partner, publicUrl: string, token: string): Mail {
  return {
    to: partner.email,
    subject: 'Reset your Partner Portal password',
    text: `Hello ${greetingName(partner)},

set a new password within the next hour: ${publicUrl}/reset-password?token=${token}

If you did not ask for this, nothing changes and you can ignore this mail.
`,
  }
}

export function greetingName(partner: Partner): string {
  return partner.first_name ?? partner.business_name
}
