"""The estimator."""
from __future__ import annotations

import os
from numbers import Integral
from typing import Any, Dict, List, Optional, Union

import numpy as np

from ._anomalies import AnomalyScores
from ._conventions import (
    BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, check_is_fitted, lendable, remember_features,
    validated_or_there, validated_rows, validated_scores,
)
from ._gpu import DeviceRows
from ._fitting import Callback, Watch, fit, last_of, seed_of, start_of, tolerance_for
from ._graph import Graph, Topology, Weights
from ._how_many import wanted
from ._likelihood import ProbabilisticModel
from ._minka import dimension
from ._model import Model, Traffic
from ._moments import Moments, lent
from ._mpi import Cluster, agreed, everywhere
from ._native import lend, lib, text_of
from ._page import Reported
from ._project import project
from ._streaming import Streaming
from .errors import ConvergenceWarning, InvalidArgument, SketchWarning, warn


_PER_COMPONENT = ("explained_variance", "explained_variance_ratio", "singular_values", "residuals", "angle_bounds",
                  "subspace_bounds", "turns")
_OF_THE_DATAS_TYPE = ("components_", "mean_", "scale_", "explained_variance_", "explained_variance_ratio_",
                      "singular_values_")


class PCA(Streaming, AnomalyScores, Reported, ProbabilisticModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin,
          BaseEstimator):
    """Principal component analysis with scikit-learn's conventions, of data in one place or over a network of nodes.

    The answer does not depend, beyond rounding, on how rows are spread over nodes. Each component's entry of largest
    magnitude is positive (the first such entry on a tie); scikit-learn turns components by the scores instead, so its
    signs may differ. A fit is in float64 whatever the data's type; its attributes are float32 for float32 data, and so
    then is what `transform` makes of float32 rows.

    Parameters
    ----------
    n_components : int, float, "mle" or None
        How many; or, between 0 and 1, as many as explain more than this fraction of the variance; or Minka's estimate,
        for n_samples >= n_features; or min(n_samples, n_features).
    method : str
        "auto", or one that `eigenmesh.methods()` lists.
    nodes : int
        How many nodes `fit(X)` spreads the rows of X over, in contiguous parts. With `comm`, 1 means one a process.
    topology : str or pairs of nodes
        The network, as in `eigenmesh.Graph`.
    weights : str or array
        Its mixing weights, as in `eigenmesh.Graph`.
    step : "auto" or float
        For the methods that take steps, such as "dsa".
    tol : float or None
        A bound on the residual |C x - theta x| / theta of every component, relative to its own eigenvalue theta and
        measured once more at the end; or, for "dsa", "dpgd", "seqdistpm", "sdot", "sadot" and "gha", on how much the
        estimate still changes. 0 runs all iterations. None is 1e-10 for the former, 1e-6 where all rows are
        float32, which holds no more, and 1e-6 for the latter.
    max_iter : int or None
        None is the method's own.
    whiten : bool
        Scores of unit variance.
    scale : None, "std", "spectral" or "binomial"
        Features to unit variance, all of them by one factor, or genotypes (0, 1 and 2) by what their frequency makes them
        deviate, before the fit.
    random_state : int, RandomState, Generator or None
        Random networks and starts follow from it; None is 0, so that every fit can be repeated.
    directions : int or None
        For `partial_fit` of rows with many features, more than 5,000: hold a sketch of so many directions of them, ten
        a component or more. The model is then not exact, and says by how much: `sketch_bound_`, and a SketchWarning.
    device : "auto", "cpu" or "gpu"
        What multiplies the rows: "auto" takes a GPU where there is one and it is faster, the copy of the rows included.
        Rows that lie on a GPU are multiplied there.
    limits : bool
        Find what `q_limit` needs beyond the components, in two averages more, or all eigenvalues.
    callback : callable or None
        Called with an `eigenmesh.Progress` after every iteration; ends the fit by returning true.
    verbose : int
        1 prints a line a second, and one at the end.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, noise_variance_,
    n_components_, n_samples_, n_features_in_, feature_names_in_
        As in scikit-learn; of the scaled features where `scale` is given.
    scale_ : array of shape (n_features,)
        What features were divided by.
    history_ : dict of arrays
        The trace, a row an iteration: iteration, rounds, messages, bytes, units, seconds, residual, consensus, error.
        Residual and consensus are kept where a network is simulated (nodes > 1); elsewhere they would cost as much as
        the fit.
    network_ : Traffic
        rounds, messages, bytes and units sent in all, and by purpose in `phases`.
    residuals_ : array of shape (n_components,)
        |C x - theta x| / theta of each component.
    estimated_ : bool
        Residuals and bounds are three times what random combinations say: of many components, or of more than eight
        that were found in single precision, on one node.
    angle_bounds_ : array of shape (n_components,)
        A bound on the sine of the angle between each component and the true one; 1 where nothing is known of it, NaN in
        a model of a file that is older than these bounds.
    clusters_ : array of int of shape (n_components,)
        For each component the first of those whose variances are too close to tell their vectors apart, from 0: itself,
        mostly. The vectors of a cluster are known together, as a subspace.
    subspace_bounds_ : array of shape (n_components,)
        The same bound as in `angle_bounds_`, on the largest angle of the subspace of the component's cluster.
    rank_ : int
        Components that have variance; those after them have 0, and any direction.
    verdict_ : str
        How the fit ended: "converged", "settled", or why it gave up, which is also a ConvergenceWarning.
    converged_ : bool
        Every residual is within `tol`, or as small as rounding allows with a direction that is still known to 1e-3. Not
        so of a method like "dsa" that has settled near the answer.
    turn_, turns_ : float, array of shape (n_components,)
        After a fit with `init`, the largest angle between its subspace and this one, and between each component and the
        nearest of its, in radians; NaN without.
    held_ : bool
        One average told that the last answer holds.
    n_samples_seen_ : int
        Rows that `partial_fit` has seen in this process.
    weight_ : float
        Of all rows: n_samples_, less what was forgotten.
    sketch_bound_ : float
        By no more than this a variance, in any direction, is larger than what a sketch of the rows says of it; 0 where
        all is exact.
    n_iter_, method_, choice_
        Iterations, the method that ran, and why "auto" chose it.
    device_, device_choice_
        "cpu" or "gpu", what multiplied the rows, and why; "" of a model from a file.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenmesh import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> PCA(n_components=2).fit(X).explained_variance_ratio_.round(4)
    array([0.9924, 0.0076])

    The same by six nodes on a ring, each with a row of its own:

    >>> ring = PCA(n_components=1, nodes=6, topology="cycle", method="krylov").fit(X)
    >>> ring.components_.round(4), ring.network_.rounds > 0
    (array([[0.8385, 0.5449]]), True)

    How far the component can be off:

    >>> ring.verdict_, bool(ring.angle_bounds_[0] < 1e-9)
    ('converged', True)
    """

    def __init__(self, n_components: Union[int, float, str, None] = None, *, method: str = "auto", nodes: int = 1,
                 topology: Topology = "er:0.5", weights: Weights = "metropolis", step: Union[str, float] = "auto",
                 tol: Optional[float] = None, max_iter: Optional[int] = None, whiten: bool = False,
                 scale: Optional[str] = None, random_state: Any = None, directions: Optional[int] = None,
                 device: str = "auto", limits: bool = False, callback: Optional[Callback] = None, verbose: int = 0) -> None:
        self.n_components = n_components
        self.method = method
        self.nodes = nodes
        self.topology = topology
        self.weights = weights
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.whiten = whiten
        self.scale = scale
        self.random_state = random_state
        self.directions = directions
        self.device = device
        self.limits = limits
        self.callback = callback
        self.verbose = verbose

    # ---- fit -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, init: Any = None, comm: Any = None) -> "PCA":
        """Find the components of X, or of the rows that all processes of a communicator hold together.

        Parameters
        ----------
        X : array, sparse matrix or Moments of shape (n_samples, n_features), or a list of such
            Arrays on a GPU (CuPy's, PyTorch's, JAX's; float32 or float64) stay there, and are not copied. One table is spread over `nodes`; a list is one node each. Arrays of floats and integers are borrowed as
            they lie, whatever their strides, and so are SciPy's CSR matrices of floats; nothing is copied. Other
            sparse matrices are converted to CSR. They are centred, and scaled, without ever being dense.
        y : ignored
        init : PCA, path of a model file, or array of shape (k, n_features), optional
            The last answer, to begin from: any number of components will do, features are matched by name, signs follow
            it, and `turn_` and `turns_` say how far this one lies from it. Where it still holds, one average tells so
            (`held_`). An array is a start alone; fewer rows than n_components are a partial one.
        comm : mpi4py communicator, optional
            Every process calls fit with its own rows and ends with the same answer.

        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((500, 30)) * np.linspace(3, 1, 30)
        >>> cold = PCA(3, method="oi").fit(X)
        >>> warm = PCA(3, method="oi").fit(X[:450], init=cold)
        >>> bool(warm.n_iter_ < cold.n_iter_)
        True
        """
        cluster = None if comm is None else Cluster(comm)
        with agreed(cluster):
            last = last_of(init)
            self._end_stream()
            tables = self._tables(X)
            nodes = self._nodes_for(tables, cluster)
        return self._fit_tables(tables, nodes, init, last, cluster)

    def _fit_tables(self, tables: List[Any], nodes: int, init: Any, last: Optional[Model],
                    cluster: Optional[Cluster]) -> "PCA":
        """The model of rows, or of moments, at so many nodes."""
        seed = seed_of(self.random_state)
        single = all(everywhere(cluster, all(table.dtype == np.float32 for table in tables)))
        rows = sum(everywhere(cluster, sum(table.shape[0] for table in tables)))
        components = wanted(self.n_components, rows, self.n_features_in_)
        graph = Graph(self.topology, nodes, self.weights, seed)
        options = {"components": components, "method": self.method, "step": self.step, "iterations": self.max_iter,
                   "tolerance": tolerance_for(self.method, self.tol, single), "scale": self.scale, "seed": seed,
                   "limits": "yes" if self.limits else None, "device": self.device,
                   "trace": "all" if nodes > 1 and not cluster else "error"}
        names = vars(self).get("feature_names_in_")
        start = None if last else start_of(init, components, self.n_features_in_, seed)
        with lent(tables):
            data = [table.as_data() if isinstance(table, Moments) else lend(table, names) for table in tables]
            model = fit(data, graph, options, watch=Watch(self.callback, self.verbose), init=start, last=last,
                        cluster=cluster)
        if isinstance(self.n_components, str):  # one process decides, as it does in the library
            model.truncate(everywhere(cluster, dimension(model.per_component("explained_variance"), model.samples))[0])
        self._keep(model)
        self._note_fit(nodes, seed, [table.shape[0] for table in tables], len(everywhere(cluster, 0)))
        if single:
            self._narrow()
        if self.n_components == 0:
            self._drop_components()
        self.history_ = model.history()
        self._tell()
        return self

    def _tables(self, X: Any) -> List[Any]:
        """The table, or those of the nodes: a list of rows is one table, a list of tables is several."""
        several = isinstance(X, (list, tuple)) and len(X) > 0 and all(np.ndim(part) == 2 for part in X)
        return [self._table(part, reset=n == 0) for n, part in enumerate(X if several else [X])]

    def _table(self, X: Any, reset: bool) -> Any:
        """As it can be lent; moments as they are."""
        if not isinstance(X, Moments):
            return lendable(validated_or_there(self, X, reset=reset))
        if X.shape[0] == 0:
            raise InvalidArgument("X: moments of no rows; try adding some first")
        if reset:
            remember_features(self, X.shape[1], X.feature_names)
        elif X.shape[1] != self.n_features_in_:
            raise InvalidArgument(f"X: moments of {X.shape[1]} features, and others are of {self.n_features_in_}; try "
                                  "the same features")
        return X

    def _checked_nodes(self) -> int:
        if not isinstance(self.nodes, Integral) or self.nodes < 1:
            raise InvalidArgument(f"nodes={self.nodes!r}: not a number of nodes; try 1 or more")
        return int(self.nodes)

    def _nodes_for(self, tables: List[Any], cluster: Optional[Cluster]) -> int:
        nodes = self._checked_nodes()
        if cluster is None and nodes == 1:
            return len(tables)
        if cluster is not None and nodes == 1:
            nodes = cluster.comm.size
        here = cluster.hosted(nodes) if cluster else nodes
        if len(tables) not in (1, here):
            raise InvalidArgument(f"X: {len(tables)} tables for {here} nodes; try one a node")
        if len(tables) == 1 and here > tables[0].shape[0]:  # before a network of so many is drawn
            raise InvalidArgument(f"nodes={nodes}: {tables[0].shape[0]} rows for {here} nodes; try fewer nodes")
        return nodes

    def _keep(self, model: Model) -> None:
        self._model = model
        self.components_ = model.components
        self.mean_, self.scale_ = model.per_feature("mean"), model.per_feature("scale")
        for name in _PER_COMPONENT:
            setattr(self, f"{name}_", model.per_component(name))
        self.clusters_, self.rank_ = model.clusters, int(model.info.rank)
        self.noise_variance_ = model.noise_variance
        self.n_components_, self.n_samples_ = model.components_count, model.samples
        self.network_: Traffic = model.traffic()
        self.verdict_, self.converged_, self.n_iter_ = model.reason, model.converged, int(model.info.iterations)
        self.estimated_ = bool(model.info.estimated)
        self.method_, self.choice_ = model.method, text_of(model.info.choice)
        self.device_, self.device_choice_ = text_of(model.info.device), text_of(model.info.device_why)
        self.turn_, self.held_ = float(model.info.turn), bool(model.info.held)
        self.weight_, self.sketch_bound_ = float(model.info.weight), float(model.info.sketch_bound)

    def _narrow(self) -> None:
        """To float32, unless the variances, which are squares, are beyond what that holds."""
        held = np.finfo(np.float32)
        if not held.tiny <= self.explained_variance_[0] <= held.max:
            return
        for name in _OF_THE_DATAS_TYPE:
            setattr(self, name, getattr(self, name).astype(np.float32))
        self.noise_variance_ = np.float32(self.noise_variance_)

    def _drop_components(self) -> None:
        """None are wanted: what the one that was found has is noise like the rest."""
        directions = min(self.n_samples_, self.n_features_in_)
        self.noise_variance_ += (self.explained_variance_[0] - self.noise_variance_) / directions
        for name in ("components", "clusters", *_PER_COMPONENT):
            setattr(self, f"{name}_", getattr(self, f"{name}_")[:0])
        self.n_components_ = self.rank_ = 0

    def _tell(self) -> None:
        model = self._model
        if self.verbose:
            print(f"[eigenmesh] {self.method_}: {self.verdict_} after {self.n_iter_} iterations, worst residual "
                  f"{model.info.worst_residual:.1e}, {model.info.seconds_setup + model.info.seconds:.3g} s")
        intended = model.stopped_by_user and self.callback or model.ran_all_iterations
        if not (self.converged_ or model.settled or intended):
            warn(f"{self.method_}: {self.verdict_} after {self.n_iter_} iterations, worst residual "
                 f"{model.info.worst_residual:.1e} (tolerance {model.info.tolerance:g}); "
                 f"try {_advice(model.info.reason)}", ConvergenceWarning)
        if self.sketch_bound_ > np.finfo(np.float64).eps * model.per_component("explained_variance")[0]:
            warn(f"of a sketch of the rows: a variance may be larger than it says, by up to {self.sketch_bound_:.2g}, "
                 f"where the last component's is {model.per_component('explained_variance')[-1]:.2g}; try more "
                 "directions", SketchWarning)

    # ---- scores, and back ------------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """Rows to scores, of shape (n_samples, n_components)."""
        check_is_fitted(self)
        rows = validated_or_there(self, X, reset=False)
        weights = self.components_ / self._deviations()[:, None] if self.whiten else self.components_
        scores = project(rows, self.mean_, self.scale_, weights)
        if not np.isfinite(scores).all():
            if isinstance(rows, DeviceRows):
                raise ValueError("Input X contains NaN or infinity, or its scores are too large.")
            validated_rows(self, X, sparse=True)  # refuses what is not finite; sums of what is may still be too large
        return scores

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Scores to rows: the transform's reverse, as far as the components go."""
        check_is_fitted(self)
        scores = validated_scores(X)
        weights = self._deviations()[:, None] * self.components_ if self.whiten else self.components_
        return (scores @ weights) * self.scale_ + self.mean_

    def _deviations(self) -> np.ndarray:
        """Those of the scores; 1 where there is no variance at all."""
        deviations = np.sqrt(np.maximum(self.explained_variance_, 0))
        deviations[deviations == 0] = 1
        return deviations

    # ---- files ------------------------------------------------------------------------------------

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the model as the .npz that `eigenmesh fit -o` writes, and `eigenmesh transform` reads.

        >>> import eigenmesh, numpy, tempfile
        >>> pca = PCA(1).fit([[0, 1], [1, 3], [2, 5.5]])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     pca.save(place + "/model.npz")
        ...     again = eigenmesh.load(place + "/model.npz")
        ...     entries = numpy.load(place + "/model.npz")
        ...     print((again.components_ == pca.components_).all(), entries["components"].shape)
        True (1, 2)
        """
        check_is_fitted(self)
        if self.n_components_ == 0:
            raise InvalidArgument("save: a model file has components; try n_components=1 or more")
        self._model.save(path)

    # ---- scikit-learn's questions ------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self) -> Dict[str, Any]:
        """The same before scikit-learn 1.6."""
        return {"preserves_dtype": [np.float64, np.float32], "X_types": ["2darray", "sparse"]}


def load(path: Union[str, "os.PathLike[str]"]) -> PCA:
    """A fitted estimator from a model file, the command line's or `PCA.save`'s."""
    model = Model.load(path)
    pca = PCA(model.components_count, method=model.method, nodes=model.info.nodes, scale=model.scale,
              random_state=model.info.seed)
    remember_features(pca, model.features, model.feature_names)
    pca._keep(model)
    pca.history_ = model.history()
    return pca


def _advice(reason: int) -> str:
    if reason == lib.EM_STOPPED_ROUNDING:
        return 'scale="std", or leaving out the columns of the largest numbers'
    if reason == lib.EM_STOPPED_DIVERGED:
        return 'a smaller step, or step="auto"'
    return 'a larger max_iter or tol, or method="auto"'
