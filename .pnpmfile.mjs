// What a dependency asks for and this service has no use for stays out of the installation.
export const hooks = {
  readPackage(manifest) {
    // Prints TypeScript through the compiler's JavaScript interface, which ours no longer has.
    if (manifest.name === 'openapi-typescript' || manifest.name === '@hey-api/openapi-ts') {
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      delete manifest.peerDependencies?.typescript;
    }
    return manifest;
  },
};
