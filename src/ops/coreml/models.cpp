// Models that are no networks: named, and not counted.
#include "ops/coreml/families.h"

namespace opscope::coreml {

namespace {

Result<void> InferModel(OpContext&) { return {}; }

Work ModelWork(const OpContext&) { return work::Unknown{"a model that is no network"}; }

constexpr OpEntry Whole(std::string_view op) {
  return {.op = op, .infer = InferModel, .work = ModelWork, .rule = "unknown"};
}

constexpr OpEntry kModels[] = {Whole("ArrayFeatureExtractor"),
                               Whole("AudioFeaturePrint"),
                               Whole("BayesianProbitRegressor"),
                               Whole("CategoricalMapping"),
                               Whole("ClassConfidenceThresholding"),
                               Whole("CustomModel"),
                               Whole("DictVectorizer"),
                               Whole("FeatureVectorizer"),
                               Whole("GLMClassifier"),
                               Whole("GLMRegressor"),
                               Whole("Gazetteer"),
                               Whole("Identity"),
                               Whole("Imputer"),
                               Whole("ItemSimilarityRecommender"),
                               Whole("KNearestNeighborsClassifier"),
                               Whole("LinkedModel"),
                               Whole("NonMaximumSuppression"),
                               Whole("Normalizer"),
                               Whole("OneHotEncoder"),
                               Whole("Scaler"),
                               Whole("SerializedModel"),
                               Whole("SoundAnalysisPreprocessing"),
                               Whole("SupportVectorClassifier"),
                               Whole("SupportVectorRegressor"),
                               Whole("TextClassifier"),
                               Whole("TreeEnsembleClassifier"),
                               Whole("TreeEnsembleRegressor"),
                               Whole("VisionFeaturePrint"),
                               Whole("WordEmbedding"),
                               Whole("WordTagger")};

}  // namespace

std::span<const OpEntry> ModelOps() { return kModels; }

}  // namespace opscope::coreml
