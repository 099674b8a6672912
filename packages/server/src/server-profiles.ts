/** Profiles that the tests show to hold. OPC 10000-7. */
export const serverProfiles: readonly string[] = [
  'http://opcfoundation.org/UA-Profile/Server/MicroEmbeddedDevice2017',
  'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary',
  'http://opcfoundation.org/UA-Profile/Transport/https-uabinary',
  'http://opcfoundation.org/UA-Profile/Transport/https-uajson',
  'http://opcfoundation.org/UA-Profile/Transport/https-uajson-openapi',
  'http://opcfoundation.org/UA-Profile/Transport/wss-uajson',
  'http://opcfoundation.org/UA-Profile/Transport/wss-uajson-openapi',
];
