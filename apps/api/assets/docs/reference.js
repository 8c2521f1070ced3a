// Draws the reference. Everything that would reach out to another host, or send anything, is off.
const place = document.getElementById('reference');
const theme = () => document.documentElement.dataset.theme;
const document_ = new URL(place.dataset.document, location.href).href;

place.replaceChildren();
const reference = Scalar.createApiReference(place, {
  url: document_,
  layout: 'modern',
  theme: 'none',
  withDefaultFonts: false,
  forceDarkModeState: theme(),
  hideDarkModeToggle: true,
  hideClientButton: true,
  hideTestRequestButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenFirstTag: true,
  expandAllResponses: false,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: ['restsharp'],
    dart: true,
    fsharp: true,
    http: true,
    java: ['asynchttp', 'nethttp', 'unirest'],
    kotlin: true,
    objc: true,
    ocaml: true,
    powershell: ['webrequest'],
    r: true,
    shell: ['wget', 'httpie'],
    swift: true,
    rust: true,
    node: ['axios', 'ofetch', 'undici'],
    js: true,
  },
});
addEventListener('docs-theme', () => {
  document.body.classList.toggle('dark-mode', theme() === 'dark');
  document.body.classList.toggle('light-mode', theme() === 'light');
  reference?.updateConfiguration?.({ ...reference.getConfiguration?.(), forceDarkModeState: theme() });
});
