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

/** Returns links to the interfaces of the service: an API catalog (RFC 9727) as a linkset (RFC 9264). */
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
