#include "model/settings.hpp"

#include "model/registry.hpp"

namespace lockstep::model {

void Settings::declare(config::Schema& schema) {
  schema
      .add("model.name", name,
           "network, by its torchvision name; resnet20 to resnet110 are the small ones for 28 to "
           "32 pixels")
      .one_of(names());
  schema.add("model.classes", classes, "outputs; auto: as many as the training data have classes")
      .at_least(1);
  schema
      .add("model.stem_stride", stem_stride, "stride of the first convolution of the small ResNets")
      .at_least(1)
      .at_most(2);
  schema.add("model.channels_last", channels_last,
             "keep pictures and weights with the channels innermost (faster)");
  schema.add("model.sync_batch_norm", sync_batch_norm,
             "normalise over the global batch instead of each rank's share");
}

}  // namespace lockstep::model
