import { expect, test } from 'vitest'
import { networksOf } from './visitor.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1:0::/48'],
  ['2001:db8::9', '2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48'],
  ['2001:db8:1:abcd::', '2001:db8:1:abcd::/64', '2001:db8:1:ab00::/56', '2001:db8:1:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0:0::/56', 'fe80:0:0:0::/48'],
  ['unknown', 'unknown'],
])('the networks of %s begin with %s', (ip, ...networks) => {
  expect(networksOf(ip)).toEqual(networks)
})
