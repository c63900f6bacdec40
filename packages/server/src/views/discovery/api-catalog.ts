interface Link {
  href: string;
  type?: string;
}

interface Context {
  anchor: string;
  'service-desc'?: Link[];
  'service-doc'?: Link[];
  'service-meta'?: Link[];
  status?: Link[];
}

/** The interfaces of a service as links (RFC 9727, in the form of RFC 9264). */
export function apiCatalog(url: string): { linkset: Context[] } {
  return {
    linkset: [
      {
        anchor: `${url}/`,
        'service-desc': [{ href: `${url}/openapi.json`, type: 'application/json' }],
        'service-doc': [{ href: `${url}/llms.txt`, type: 'text/plain' }],
        status: [{ href: `${url}/readyz`, type: 'application/json' }],
      },
      { anchor: `${url}/graphql`, 'service-doc': [{ href: `${url}/llms.txt`, type: 'text/plain' }] },
      {
        anchor: `${url}/mcp`,
        'service-doc': [{ href: `${url}/llms.txt`, type: 'text/plain' }],
        'service-meta': [
          { href: `${url}/.well-known/oauth-protected-resource/mcp`, type: 'application/json' },
        ],
      },
    ],
  };
}
