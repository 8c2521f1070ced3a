// Dependencies of dependencies that differ from their manifests.
export const hooks = {
  readPackage(manifest) {
    // Prints TypeScript through the compiler's JavaScript interface, which ours no longer has.
    if (manifest.name === 'openapi-typescript') {
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      delete manifest.peerDependencies?.typescript;
    }
    // Reads TypeScript with this or with the compiler's JavaScript interface; without either it finds no imports at all.
    if (manifest.name === 'dependency-cruiser')
      manifest.dependencies = { ...manifest.dependencies, '@swc/core': '1.16.22' };
    return manifest;
  },
};
