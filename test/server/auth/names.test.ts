import { describe, expect, test } from 'vitest';
import { CatalogueError } from '../../../src/protocol/index.ts';
import { knownNames, type NameSettings } from '../../../src/server/auth/known-names.ts';

const PORT = 32205;
const settings = (some: Partial<NameSettings> = {}): NameSettings => ({
  host: '127.0.0.1',
  public_url: null,
  allowed_hosts: [],
  ...some,
});

describe('by default, only the names of this machine with our port are accepted', () => {
  const names = knownNames(settings());
  test.each(['127.0.0.1:32205', 'localhost:32205', '[::1]:32205', 'LOCALHOST:32205'])('%s is ours', (host) => {
    expect(names.isOurHost(host, PORT)).toBe(true);
  });

  test.each([
    ['no port', 'localhost'],
    ['another port', 'localhost:3000'],
    ['a name that begins like ours', '127.evil.com:32205'],
    ['a subdomain that begins like ours', 'localhost.evil.com:32205'],
    ['a name that ends like ours', 'evil-localhost:32205'],
    ['a trailing dot', 'localhost.:32205'],
    ['another spelling of the address', '127.1:32205'],
    ['a number instead of an address', '2130706433:32205'],
    ['another address of loopback', '127.0.0.2:32205'],
    ['the wildcard address', '0.0.0.0:32205'],
    ['a long form of ::1', '[0:0:0:0:0:0:0:1]:32205'],
    ['a mapped address', '[::ffff:127.0.0.1]:32205'],
    ['a zone', '[::1%25lo]:32205'],
    ['a name before an @', 'localhost:32205@evil.com'],
    ['a name after an @', 'evil.com@localhost:32205'],
    ['a list', 'localhost:32205,evil.com'],
    ['a blank', 'localhost:32205 '],
    ['a path', 'localhost:32205/'],
    ['a port that is not a number', 'localhost:32205x'],
    ['a port with a sign', 'localhost:+32205'],
    ['an empty port', 'localhost:'],
    ['nothing', ''],
  ])('%s is not', (_, host) => {
    expect(names.isOurHost(host, PORT)).toBe(false);
  });

  test('on port 80 the port may be left out, as browsers do', () => {
    expect(names.isOurHost('localhost', 80)).toBe(true);
  });
});

describe('configured names', () => {
  const names = knownNames(
    settings({
      host: 'fd00:0:0::7',
      public_url: 'https://cbos.example.com',
      allowed_hosts: ['box', 'Other.Example.com:8443', 'bücher.example'],
    }),
  );
  test.each([
    '[fd00::7]:32205',
    'cbos.example.com',
    'cbos.example.com:443',
    'cbos.example.com:32205',
    'box',
    'box:1234',
    'other.example.com:8443',
    'xn--bcher-kva.example',
  ])('%s is ours', (host) => {
    expect(names.isOurHost(host, PORT)).toBe(true);
  });
  test.each([
    '[fd00::7]',
    'other.example.com',
    'other.example.com:32205',
    'example.com',
    'box.evil.com',
    'x.cbos.example.com',
  ])('%s is not', (host) => {
    expect(names.isOurHost(host, PORT)).toBe(false);
  });

  test('the wildcard address is not a name of the server', () => {
    expect(knownNames(settings({ host: '0.0.0.0' })).isOurHost('0.0.0.0:32205', PORT)).toBe(false);
  });

  test.each(['http://box', 'box/path', 'user@box', 'a b', '', 'box:port'])('%j is refused as a setting', (entry) => {
    expect(() => knownNames(settings({ allowed_hosts: [entry] }))).toThrow(CatalogueError);
  });
});

describe('pages', () => {
  const names = knownNames(settings({ public_url: 'https://cbos.example.com', allowed_hosts: ['box'] }));
  test.each([
    ['the page that CBOS serves', 'http://localhost:32205', 'localhost:32205'],
    ['the same in capitals', 'http://localhost:32205', 'LOCALHOST:32205'],
    ['the page behind a proxy that passes the Host header through', 'https://cbos.example.com', 'cbos.example.com'],
    ['the page behind a proxy that sets its own Host header', 'https://cbos.example.com', '127.0.0.1:32205'],
    ['a page under another name', 'https://box', 'box'],
  ])('%s is ours', (_, origin, host) => {
    expect(names.isOurOrigin(origin, host)).toBe(true);
  });
  test.each([
    ["another site's page", 'https://evil.com', 'localhost:32205'],
    ['a sandboxed page', 'null', 'localhost:32205'],
    ['nothing', '', 'localhost:32205'],
    ["another program's page on this machine", 'http://localhost:3000', 'localhost:32205'],
    ['a page of this machine without a port', 'http://localhost', 'localhost:32205'],
    ['a page that begins like ours', 'http://localhost:32205.evil.com', 'localhost:32205'],
    ['an extension', 'chrome-extension://localhost:32205', 'localhost:32205'],
    ['the public page without its encryption', 'http://cbos.example.com', '127.0.0.1:32205'],
    ['something next to the public page', 'https://cbos.example.com:8443', 'cbos.example.com'],
    ['a path', 'http://localhost:32205/', 'localhost:32205'],
  ])('%s is not', (_, origin, host) => {
    expect(names.isOurOrigin(origin, host)).toBe(false);
  });
});
