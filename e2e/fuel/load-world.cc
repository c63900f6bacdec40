#include <iostream>

#include <ignition/fuel_tools/ClientConfig.hh>
#include <ignition/fuel_tools/FuelClient.hh>
#include <ignition/fuel_tools/Interface.hh>
#include <sdf/sdf.hh>

/// Loads a world whose models are included by URL, as Gazebo does, and prints each of them with its number of links.
/// Arguments: the world, and the configuration of the Fuel client.
int main(int, char **argv)
{
  ignition::fuel_tools::ClientConfig config;
  config.LoadConfig(argv[2]);
  ignition::fuel_tools::FuelClient client(config);
  sdf::setFindCallback([&client](const std::string &uri) {
    return ignition::fuel_tools::fetchResourceWithClient(uri, client);
  });
  sdf::Root root;
  for (const auto &error : root.Load(argv[1])) std::cerr << error << std::endl;
  const auto *world = root.WorldByIndex(0);
  if (world == nullptr) return 1;
  for (uint64_t at = 0; at < world->ModelCount(); ++at)
  {
    const auto *model = world->ModelByIndex(at);
    std::cout << "model " << model->Name() << " " << model->LinkCount() << std::endl;
  }
}
