import { expect, test } from 'vitest'
import { mailLink, phoneLink } from './contact-links.ts'

test.each([
  ['ada.lovelace@example.com', 'mailto:ada.lovelace@example.com'],
  ['ada?cc=eve@evil.example', 'mailto:ada%3Fcc%3Deve@evil.example'],
  ['ada&bcc=eve@evil.example', 'mailto:ada%26bcc%3Deve@evil.example'],
  ['ada,eve@evil.example', 'mailto:ada%2Ceve@evil.example'],
  ['ada+loans%20x@example.com', 'mailto:ada%2Bloans%2520x@example.com'],
  ['jörg@xn--bcher-kva.example', 'mailto:j%C3%B6rg@xn--bcher-kva.example'],
])('the mail link for %s is %s', (email, link) => {
  expect(mailLink(email)).toBe(link)
})

test.each([
  ['+61412345678', 'tel:+61412345678'],
  ['(02) 5550 1234', 'tel:0255501234'],
  ['0412345678;phone-context=evil.example', 'tel:0412345678%3Bphone-context%3Devil.example'],
  ['*21*0900#', 'tel:*21*0900%23'],
  ['1300?x=&y', 'tel:1300%3Fx%3D%26y'],
])('the phone link for %s is %s', (phone, link) => {
  expect(phoneLink(phone)).toBe(link)
})
